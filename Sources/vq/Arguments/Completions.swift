/// A shell for which completions are available.
enum Shell: String, Sendable, CaseIterable { case bash, zsh, fish }

/// Writes the completions for a shell from the tables of the commands.
struct Completions: Sendable {
  /// All commands.
  let commands: [CommandDescription]

  /// Returns the text that a shell loads to complete the arguments of `vq`.
  func script(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  private var names: [String] { commands.map(\.name) }

  private func options(of command: CommandDescription) -> [OptionDescription] {
    command.options + CommonOptions.all
  }

  private func spellings(of option: OptionDescription) -> [String] {
    [option.spelling] + (option.short.map { ["-\($0)"] } ?? [])
  }

  // MARK: bash

  private var bash: String {
    func reply(_ completion: ValueCompletion) -> String {
      switch completion {
      case .nothing: "return"
      case .files: "_vq_reply -f; compopt -o filenames; return"
      case .directories: "_vq_reply -d; compopt -o filenames; return"
      case .words(let words): "_vq_reply -W '\(words.joined(separator: " "))'; return"
      case .actions(let words):
        "_vq_reply -fW '\(words.joined(separator: " "))'; compopt -o filenames; return"
      case .commands: "_vq_reply -W '\(names.joined(separator: " "))'; return"
      }
    }
    func values(_ options: [OptionDescription], of command: String) -> [String] {
      options.compactMap { option in
        option.value.map { value in
          let patterns = spellings(of: option).map { "\(command):\($0)" }
          return "    \(patterns.joined(separator: "|"))) \(reply(value.completion)) ;;"
        }
      }
    }
    func words(_ options: [OptionDescription]) -> String {
      options.flatMap(spellings).joined(separator: " ")
    }
    let operands = commands.map { command in
      """
          \(command.name):-*) _vq_reply -W '\(words(options(of: command)))' ;;
          \(command.name):*) \(reply(command.operand?.completion ?? .nothing)) ;;
      """
    }
    return """
      # Completion of vq for bash. Load it with: source <(vq completions bash)
      _vq_reply() {
        local IFS=$'\\n'
        COMPREPLY=($(IFS=' '; compgen "$@" -- "$word"))
      }
      _vq() {
        local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
        local command='' index
        COMPREPLY=()
        for ((index = 1; index < COMP_CWORD; index++)); do
          case ${COMP_WORDS[index]} in
          \(names.joined(separator: "|"))) command=${COMP_WORDS[index]}; break ;;
          esac
        done
        case $command:$previous in
      \((values(CommonOptions.all, of: "*") + commands.flatMap { values($0.options, of: $0.name) })
        .joined(separator: "\n"))
        esac
        case $command:$word in
          :-*) _vq_reply -W '\(words(CommonOptions.all))' ;;
          :*) _vq_reply -W '\(names.joined(separator: " "))' ;;
      \(operands.joined(separator: "\n"))
        esac
      }
      complete -F _vq vq

      """
  }

  // MARK: zsh

  private var zsh: String {
    func action(_ completion: ValueCompletion) -> String {
      switch completion {
      case .nothing: ""
      case .files: "_files"
      case .directories: "_files -/"
      case .words(let words), .actions(let words): "(\(words.joined(separator: " ")))"
      case .commands: "(\(names.joined(separator: " ")))"
      }
    }
    func escaped(_ text: String) -> String {
      var result = ""
      for character in text {
        switch character {
        case "[", "]", ":", "\\": result += "\\\(character)"
        case "'": result += "'\\''"
        default: result.append(character)
        }
      }
      return result
    }
    func specification(_ option: OptionDescription) -> [String] {
      let once = option.mayRepeat ? "*" : ""
      return spellings(of: option).map { spelling in
        guard let value = option.value else {
          return "'\(spelling)[\(escaped(option.summary))]'"
        }
        let join = spelling.hasPrefix("--") ? "=" : "+"
        return "'\(once)\(spelling)\(join)[\(escaped(option.summary))]"
          + ":\(value.placeholder):\(action(value.completion))'"
      }
    }
    func arguments(_ options: [OptionDescription], _ rest: [String]) -> String {
      (options.flatMap(specification) + rest).map { "        " + $0 }
        .joined(separator: " \\\n")
    }
    let cases = commands.map { command in
      let operand =
        command.operand.map { operand -> [String] in
          let isList = operand.count.upperBound > 1
          var first = "1"
          var rest: [String] = []
          if case .actions = operand.completion {
            rest = ["'*:FILE:_files'"]
          } else if isList {
            first = "*"
          }
          return ["'\(first):\(operand.placeholder):\(action(operand.completion))'"] + rest
        } ?? []
      return """
            \(command.name))
              _arguments -s -S \\
        \(arguments(options(of: command), operand)) ;;
        """
    }
    return """
      #compdef vq
      # Completion of vq for zsh. Save it as _vq in a folder of $fpath.
      _vq() {
        local context state state_descr line
        typeset -A opt_args
        local -a commands
        commands=(
      \(commands.map { "    '\($0.name):\(escaped($0.summary))'" }.joined(separator: "\n"))
        )
        _arguments -C \\
      \(arguments(CommonOptions.all, ["'1:COMMAND:->command'", "'*::ARGUMENT:->argument'"]))
        case $state in
        command) _describe command commands ;;
        argument)
          case $words[1] in
      \(cases.joined(separator: "\n"))
          esac ;;
        esac
      }
      if [ "$funcstack[1]" = _vq ]; then _vq "$@"; else compdef _vq vq; fi

      """
  }

  // MARK: fish

  private var fish: String {
    func quoted(_ text: String) -> String {
      "'" + text.flatMap { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" } + "'"
    }
    func action(_ completion: ValueCompletion) -> String {
      switch completion {
      case .nothing: "-x"
      case .files: "-r -F"
      case .directories: "-x -a '(__fish_complete_directories)'"
      case .words(let words): "-x -a \(quoted(words.joined(separator: " ")))"
      case .actions(let words): "-r -F -a \(quoted(words.joined(separator: " ")))"
      case .commands: "-x -a \(quoted(names.joined(separator: " ")))"
      }
    }
    func line(_ option: OptionDescription, _ condition: String) -> String {
      [
        "complete -c vq", condition, "-l \(option.name)", option.short.map { "-s \($0)" } ?? "",
        option.value.map { action($0.completion) } ?? "", "-d \(quoted(option.summary))",
      ].filter { !$0.isEmpty }.joined(separator: " ")
    }
    let words = commands.map {
      "complete -c vq -n __fish_use_subcommand -a \($0.name) -d \(quoted($0.summary))"
    }
    let details = commands.flatMap { command in
      let condition = "-n '__fish_seen_subcommand_from \(command.name)'"
      let operand: [String] =
        switch command.operand?.completion {
        case .files: ["complete -c vq \(condition) -F"]
        case .words(let words):
          ["complete -c vq \(condition) -a \(quoted(words.joined(separator: " ")))"]
        case .actions(let words):
          ["complete -c vq \(condition) -F -a \(quoted(words.joined(separator: " ")))"]
        case .commands: ["complete -c vq \(condition) -a \(quoted(names.joined(separator: " ")))"]
        case .directories: ["complete -c vq \(condition) -a '(__fish_complete_directories)'"]
        case .nothing, nil: []
        }
      return command.options.map { line($0, condition) } + operand
    }
    return
      (["# Completion of vq for fish. Load it with: vq completions fish | source"]
      + ["complete -c vq -f"] + CommonOptions.all.map { line($0, "") } + words + details)
      .joined(separator: "\n") + "\n"
  }
}
