CREATE TABLE `cache_content` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`root_id` integer NOT NULL,
	`tag` text NOT NULL,
	`service` text NOT NULL,
	`title_key` text NOT NULL,
	`files` integer NOT NULL,
	`bytes` integer NOT NULL,
	`first_stored_at` integer NOT NULL,
	`last_stored_at` integer NOT NULL,
	`sample_uris` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `cache_content_key` ON `cache_content` (`root_id`,`tag`,`title_key`);--> statement-breakpoint
CREATE TABLE `cache_directory` (
	`root_id` integer NOT NULL,
	`dir` integer NOT NULL,
	`mtime_ms` real NOT NULL,
	`files` integer NOT NULL,
	`bytes` integer NOT NULL,
	PRIMARY KEY(`root_id`, `dir`)
);
--> statement-breakpoint
CREATE TABLE `cache_file` (
	`root_id` integer NOT NULL,
	`dir` integer NOT NULL,
	`digest` blob NOT NULL,
	`content_id` integer NOT NULL,
	`object_hash` integer NOT NULL,
	`slice_start` integer NOT NULL,
	`bytes` integer NOT NULL,
	`etag_hash` integer NOT NULL,
	`last_modified_at` integer NOT NULL,
	`object_bytes` integer NOT NULL,
	`stored_at` integer NOT NULL,
	`inode` integer NOT NULL,
	`mtime_ms` real NOT NULL,
	`ctime_ms` real NOT NULL,
	`issues` integer NOT NULL,
	`skipped` integer NOT NULL,
	PRIMARY KEY(`root_id`, `dir`, `digest`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `cache_gone` (
	`root_id` integer NOT NULL,
	`dir` integer NOT NULL,
	`digest` blob NOT NULL,
	PRIMARY KEY(`root_id`, `dir`, `digest`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `cache_root` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`datasource` text NOT NULL,
	`path` text NOT NULL,
	`scheme` text NOT NULL,
	`slice_bytes` integer NOT NULL,
	`state` text NOT NULL,
	`problem` text,
	`files` integer NOT NULL,
	`bytes` integer NOT NULL,
	`directories` integer NOT NULL,
	`hex_directories` integer NOT NULL,
	`walked_at` integer,
	`walk_ms` integer NOT NULL,
	`next_dir` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `cache_root_datasource_unique` ON `cache_root` (`datasource`);--> statement-breakpoint
CREATE TABLE `corruption_candidate` (
	`scan_id` text NOT NULL,
	`id` text NOT NULL,
	`datasource` text NOT NULL,
	`service` text NOT NULL,
	`exact_paths` text NOT NULL,
	`evidence` text NOT NULL,
	PRIMARY KEY(`scan_id`, `id`),
	FOREIGN KEY (`scan_id`) REFERENCES `corruption_scan`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `corruption_candidate_service` ON `corruption_candidate` (`scan_id`,`service`);--> statement-breakpoint
CREATE TABLE `corruption_scan` (
	`id` text PRIMARY KEY NOT NULL,
	`contract_version` integer NOT NULL,
	`method` text NOT NULL,
	`mode` text,
	`is_current` integer NOT NULL,
	`completed_at` integer NOT NULL,
	`settings` text NOT NULL,
	`coverage` text,
	`summary` text
);
--> statement-breakpoint
CREATE INDEX `corruption_scan_method` ON `corruption_scan` (`method`,`completed_at`);--> statement-breakpoint
CREATE TABLE `meta` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `structural_state` (
	`root_id` integer PRIMARY KEY NOT NULL,
	`baseline` text NOT NULL,
	`mode` text NOT NULL,
	`next_dir` integer NOT NULL,
	`progress` text NOT NULL,
	`started_at` integer NOT NULL,
	`committed_at` integer,
	`opened_at` integer NOT NULL
);
