CREATE TABLE `reuse_sample` (
	`datasource` text PRIMARY KEY NOT NULL,
	`state` blob NOT NULL
);
