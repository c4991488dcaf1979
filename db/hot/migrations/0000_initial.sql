CREATE TABLE `counter` (
	`datasource` text NOT NULL,
	`service` text NOT NULL,
	`client` text NOT NULL,
	`hit_bytes` integer NOT NULL,
	`miss_bytes` integer NOT NULL,
	`requests` integer NOT NULL,
	PRIMARY KEY(`datasource`, `service`, `client`)
);
--> statement-breakpoint
CREATE TABLE `download_outbox` (
	`id` integer PRIMARY KEY NOT NULL,
	`datasource` text NOT NULL,
	`service` text NOT NULL,
	`tag` text NOT NULL,
	`client` text NOT NULL,
	`title_key` text NOT NULL,
	`is_prefill` integer NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer NOT NULL,
	`hit_bytes` integer NOT NULL,
	`miss_bytes` integer NOT NULL,
	`requests` integer NOT NULL,
	`last_url` text NOT NULL,
	`object_keys` text NOT NULL,
	`revision` integer NOT NULL,
	`batch_id` text NOT NULL,
	`queued_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `download_outbox_batch` ON `download_outbox` (`batch_id`);--> statement-breakpoint
CREATE TABLE `log_counter` (
	`datasource` text NOT NULL,
	`stem` text NOT NULL,
	`parsed_lines` integer NOT NULL,
	`unparsed_lines` integer NOT NULL,
	`hintless_http_detailed_lines` integer NOT NULL,
	`invalid_encoding_lines` integer NOT NULL,
	`skipped_fallback_lines` integer NOT NULL,
	`overlong_lines` integer NOT NULL,
	`ignored_lines` integer NOT NULL,
	`blank_lines` integer NOT NULL,
	PRIMARY KEY(`datasource`, `stem`)
);
--> statement-breakpoint
CREATE TABLE `log_member` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`datasource` text NOT NULL,
	`stem` text NOT NULL,
	`name` text NOT NULL,
	`device` text NOT NULL,
	`inode` text NOT NULL,
	`head` blob NOT NULL,
	`offset` integer NOT NULL,
	`lines` integer NOT NULL,
	`is_inside_long_line` integer NOT NULL,
	`size_bytes` integer NOT NULL,
	`modified_ms` integer NOT NULL,
	`state` text NOT NULL,
	`error` text,
	`seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `log_member_source` ON `log_member` (`datasource`,`stem`);--> statement-breakpoint
CREATE TABLE `log_skipped` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`member_id` integer NOT NULL,
	`from_byte` integer NOT NULL,
	`to_byte` integer NOT NULL,
	`lines` integer NOT NULL,
	`is_wanted` integer NOT NULL,
	FOREIGN KEY (`member_id`) REFERENCES `log_member`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `meta` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `open_download` (
	`id` integer PRIMARY KEY NOT NULL,
	`lane` text NOT NULL,
	`datasource` text NOT NULL,
	`service` text NOT NULL,
	`tag` text NOT NULL,
	`client` text NOT NULL,
	`title_key` text NOT NULL,
	`is_prefill` integer NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer NOT NULL,
	`hit_bytes` integer NOT NULL,
	`miss_bytes` integer NOT NULL,
	`requests` integer NOT NULL,
	`last_url` text NOT NULL,
	`sample` text NOT NULL,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `open_download_key` ON `open_download` (`lane`,`client`,`tag`,`title_key`,`is_prefill`);--> statement-breakpoint
CREATE TABLE `traffic_outbox` (
	`batch_id` text NOT NULL,
	`bucket_at` integer NOT NULL,
	`datasource` text NOT NULL,
	`service` text NOT NULL,
	`client` text NOT NULL,
	`title_key` text NOT NULL,
	`is_prefill` integer NOT NULL,
	`hit_bytes` integer NOT NULL,
	`miss_bytes` integer NOT NULL,
	`requests` integer NOT NULL,
	`downloads` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`queued_at_ms` integer NOT NULL,
	PRIMARY KEY(`batch_id`, `bucket_at`, `datasource`, `service`, `client`, `title_key`, `is_prefill`)
);
