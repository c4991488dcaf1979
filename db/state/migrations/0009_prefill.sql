CREATE TABLE `prefill_ban` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`username` text,
	`user_id` text,
	`reason` text,
	`banned_by_session_id` text,
	`banned_by` text,
	`is_owners` integer NOT NULL,
	`banned_at` integer NOT NULL,
	`expires_at` integer,
	`lifted_at` integer,
	`lifted_by` text
);
--> statement-breakpoint
CREATE INDEX `prefill_ban_username` ON `prefill_ban` (`username`);--> statement-breakpoint
CREATE INDEX `prefill_ban_user` ON `prefill_ban` (`user_id`);--> statement-breakpoint
CREATE TABLE `prefill_depot` (
	`depot_id` integer NOT NULL,
	`manifest_id` text NOT NULL,
	`app_id` text NOT NULL,
	`app_name` text,
	`total_bytes` integer,
	`cached_at` integer NOT NULL,
	`cached_by` text,
	PRIMARY KEY(`depot_id`, `manifest_id`)
);
--> statement-breakpoint
CREATE INDEX `prefill_depot_app` ON `prefill_depot` (`app_id`);--> statement-breakpoint
CREATE TABLE `prefill_history` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session_id` text NOT NULL,
	`app_id` text NOT NULL,
	`app_name` text,
	`started_at` integer NOT NULL,
	`completed_at` integer,
	`bytes_downloaded` integer NOT NULL,
	`total_bytes` integer NOT NULL,
	`status` text NOT NULL,
	`error_message` text,
	FOREIGN KEY (`session_id`) REFERENCES `prefill_session`(`session_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `prefill_history_session` ON `prefill_history` (`session_id`,`started_at`);--> statement-breakpoint
CREATE INDEX `prefill_history_status` ON `prefill_history` (`status`);--> statement-breakpoint
CREATE TABLE `prefill_schedule` (
	`platform` text PRIMARY KEY NOT NULL,
	`basis_at` integer NOT NULL,
	`last_run_at` integer
);
--> statement-breakpoint
CREATE TABLE `prefill_session` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session_id` text NOT NULL,
	`platform` text NOT NULL,
	`user_id` text NOT NULL,
	`is_owners` integer NOT NULL,
	`transport` text NOT NULL,
	`container_id` text,
	`container_name` text,
	`account_username` text,
	`username` text,
	`status` text NOT NULL,
	`is_temporary` integer NOT NULL,
	`is_persistent` integer NOT NULL,
	`is_authenticated` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`ended_at` integer,
	`termination_reason` text,
	`terminated_by` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `prefill_session_key` ON `prefill_session` (`session_id`);--> statement-breakpoint
CREATE INDEX `prefill_session_created` ON `prefill_session` (`created_at`);--> statement-breakpoint
CREATE INDEX `prefill_session_status` ON `prefill_session` (`status`);