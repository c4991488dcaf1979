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
CREATE TABLE `day_name` (
	`day` integer NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`day`, `kind`, `name`)
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
	`revision` integer NOT NULL,
	`object_keys` text NOT NULL,
	`batch_id` text NOT NULL,
	`queued_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `download_outbox_batch` ON `download_outbox` (`batch_id`);--> statement-breakpoint
CREATE TABLE `host_title` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`object_hash` integer NOT NULL,
	`title_key` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `host_title_objectHash_unique` ON `host_title` (`object_hash`);--> statement-breakpoint
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
	`impossible_time_lines` integer DEFAULT 0 NOT NULL,
	`impossible_count_lines` integer DEFAULT 0 NOT NULL,
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
	`is_inside_long_line` integer DEFAULT false NOT NULL,
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
	`revision` integer NOT NULL,
	`lane` text NOT NULL,
	`sample` text NOT NULL,
	`queued_revision` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `position_change` (
	`kind` text NOT NULL,
	`id` integer NOT NULL,
	PRIMARY KEY(`kind`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `quarantine` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`reason` text NOT NULL,
	`row` text NOT NULL,
	`set_aside_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sealed_batch` (
	`seq` integer PRIMARY KEY NOT NULL,
	`batch_id` text NOT NULL,
	`positions` text,
	`is_durable` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sealed_batch_batchId_unique` ON `sealed_batch` (`batch_id`);--> statement-breakpoint
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
	`failed_requests` integer DEFAULT 0 NOT NULL,
	`downloads` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`queued_at_ms` integer NOT NULL,
	PRIMARY KEY(`batch_id`, `bucket_at`, `datasource`, `service`, `client`, `title_key`, `is_prefill`)
) WITHOUT ROWID;
--> statement-breakpoint
-- Notes which positions changed since the last batch, which the history keeps as well.
CREATE TRIGGER `log_member_insert_changes` AFTER INSERT ON `log_member` BEGIN
	INSERT INTO `position_change` (`kind`, `id`) VALUES ('member', NEW.`id`) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `log_member_update_changes` AFTER UPDATE ON `log_member` BEGIN
	INSERT INTO `position_change` (`kind`, `id`) VALUES ('member', NEW.`id`) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `log_member_delete_changes` AFTER DELETE ON `log_member` BEGIN
	INSERT INTO `position_change` (`kind`, `id`) VALUES ('member', OLD.`id`) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `log_skipped_insert_changes` AFTER INSERT ON `log_skipped` BEGIN
	INSERT INTO `position_change` (`kind`, `id`) VALUES ('skipped', NEW.`id`) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `log_skipped_update_changes` AFTER UPDATE ON `log_skipped` BEGIN
	INSERT INTO `position_change` (`kind`, `id`) VALUES ('skipped', NEW.`id`) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `log_skipped_delete_changes` AFTER DELETE ON `log_skipped` BEGIN
	INSERT INTO `position_change` (`kind`, `id`) VALUES ('skipped', OLD.`id`) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `open_download_insert_changes` AFTER INSERT ON `open_download` BEGIN
	INSERT INTO `position_change` (`kind`, `id`) VALUES ('open', NEW.`id`) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `open_download_update_changes` AFTER UPDATE ON `open_download` BEGIN
	INSERT INTO `position_change` (`kind`, `id`) VALUES ('open', NEW.`id`) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `open_download_delete_changes` AFTER DELETE ON `open_download` BEGIN
	INSERT INTO `position_change` (`kind`, `id`) VALUES ('open', OLD.`id`) ON CONFLICT DO NOTHING;
END;
