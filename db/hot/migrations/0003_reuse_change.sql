CREATE TABLE `reuse_change` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`datasource` text NOT NULL,
	`changes` blob NOT NULL
);
