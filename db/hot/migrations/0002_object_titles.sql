CREATE TABLE `object_title` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`title_key` text NOT NULL,
	`object_hashes` blob NOT NULL
);
--> statement-breakpoint
CREATE INDEX `object_title_key` ON `object_title` (`title_key`);--> statement-breakpoint
INSERT INTO `object_title` (`title_key`, `object_hashes`)
SELECT `title_key`, unhex(group_concat(printf('%016x', `object_hash`), ''))
FROM `host_title` GROUP BY `title_key`, `id` / 1024 ORDER BY max(`id`);--> statement-breakpoint
DROP TABLE `host_title`;
