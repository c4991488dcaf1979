CREATE TABLE `cache_gone` (
	`root_id` integer NOT NULL,
	`dir` integer NOT NULL,
	`digest` blob NOT NULL,
	PRIMARY KEY(`root_id`, `dir`, `digest`)
) WITHOUT ROWID;
