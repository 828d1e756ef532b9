-- The users of compose.yaml. A server that takes feedback or changes needs vq_writer.
create role feed login in role vq_writer;
create role server login in role vq_reader;
