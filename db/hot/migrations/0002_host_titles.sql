CREATE TABLE `host_title` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`object_hash` integer NOT NULL,
	`title_key` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `host_title_objectHash_unique` ON `host_title` (`object_hash`);