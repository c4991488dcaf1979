CREATE TABLE `account` (
	`id` text PRIMARY KEY NOT NULL,
	`username` text NOT NULL,
	`username_key` text NOT NULL,
	`password_hash` text NOT NULL,
	`role` text NOT NULL,
	`is_owner` integer NOT NULL,
	`is_disabled` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_login_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `account_username` ON `account` (`username_key`);--> statement-breakpoint
CREATE TABLE `audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event` text NOT NULL,
	`actor_account_id` text,
	`actor_session_id` text,
	`target_account_id` text,
	`detail` text,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_at` ON `audit` (`at`);--> statement-breakpoint
CREATE TABLE `client_exclusion` (
	`ip` text PRIMARY KEY NOT NULL,
	`mode` text NOT NULL,
	`position` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `client_group` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`nickname` text NOT NULL,
	`description` text,
	`separate_member_rows` integer NOT NULL,
	`created_at_us` integer NOT NULL,
	`updated_at_us` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `client_group_nickname` ON `client_group` (`nickname`);--> statement-breakpoint
CREATE TABLE `client_group_member` (
	`ip` text PRIMARY KEY NOT NULL,
	`group_id` integer NOT NULL,
	`position` integer NOT NULL,
	`added_at` integer NOT NULL,
	FOREIGN KEY (`group_id`) REFERENCES `client_group`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `client_group_member_order` ON `client_group_member` (`group_id`,`position`);--> statement-breakpoint
CREATE TABLE `credential` (
	`name` text PRIMARY KEY NOT NULL,
	`label` text,
	`sealed` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `guest_grant` (
	`session_id` text NOT NULL,
	`platform` text NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`session_id`, `platform`),
	FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `operation` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`scope` text NOT NULL,
	`name` text NOT NULL,
	`status` text NOT NULL,
	`percent_complete` real NOT NULL,
	`stage_key` text,
	`context` text,
	`message` text,
	`error` text,
	`is_silent` integer NOT NULL,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`finished_at` integer
);
--> statement-breakpoint
CREATE INDEX `operation_by_status` ON `operation` (`status`,`created_at`);--> statement-breakpoint
CREATE TABLE `preference` (
	`session_id` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `session` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`account_id` text,
	`token_hash` text NOT NULL,
	`previous_token_hash` text,
	`rotated_at` integer,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`revoked_at` integer,
	`ip_address` text NOT NULL,
	`user_agent` text NOT NULL,
	`public_ip_address` text,
	`country_code` text,
	`country_name` text,
	`region_name` text,
	`city` text,
	`timezone` text,
	`isp_name` text,
	`screen_resolution` text,
	`browser_language` text,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `session_token` ON `session` (`token_hash`);--> statement-breakpoint
CREATE INDEX `session_previous_token` ON `session` (`previous_token_hash`);--> statement-breakpoint
CREATE INDEX `session_account` ON `session` (`account_id`);--> statement-breakpoint
CREATE TABLE `setting` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL
);
