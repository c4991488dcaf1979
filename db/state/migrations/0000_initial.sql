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
CREATE TABLE `guest_grant` (
	`session_id` text NOT NULL,
	`platform` text NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`session_id`, `platform`),
	FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
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
CREATE TABLE `beta_game` (
	`app_id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`image_url` text,
	`source` text NOT NULL,
	`discovered_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`namespace` text,
	`catalog_item_id` text,
	`build_version` text,
	`path_version` text,
	`named_at` integer
);
--> statement-breakpoint
CREATE TABLE `beta_pattern` (
	`path` text PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`host` text NOT NULL,
	`discovered_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `beta_pattern_app` ON `beta_pattern` (`app_id`);--> statement-breakpoint
CREATE TABLE `epsilon_fragment` (
	`fragment` text PRIMARY KEY NOT NULL,
	`product_id` text NOT NULL,
	`host` text NOT NULL,
	`discovered_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `epsilon_fragment_product` ON `epsilon_fragment` (`product_id`);--> statement-breakpoint
CREATE TABLE `epsilon_game` (
	`product_id` text PRIMARY KEY NOT NULL,
	`title` text NOT NULL,
	`image_url` text,
	`discovered_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`content_ids` text NOT NULL,
	`described_at` integer
);
--> statement-breakpoint
CREATE TABLE `mapping_etag` (
	`name` text PRIMARY KEY NOT NULL,
	`etag` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `notification_outbox` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`target_id` text NOT NULL,
	`kind` text NOT NULL,
	`is_problem` integer NOT NULL,
	`title` text NOT NULL,
	`body` text NOT NULL,
	`raised_at` integer NOT NULL,
	`attempts` integer NOT NULL,
	FOREIGN KEY (`target_id`) REFERENCES `notification_target`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `notification_outbox_target` ON `notification_outbox` (`target_id`,`id`);--> statement-breakpoint
CREATE TABLE `notification_target` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`is_enabled` integer NOT NULL,
	`only_problems` integer NOT NULL,
	`options` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_sent_at` integer,
	`last_error` text,
	`last_error_at` integer
);
--> statement-breakpoint
CREATE TABLE `operation` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`scope` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text,
	`name_context` text,
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
	`schedule_id` text,
	`schedule_name` text,
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
	`id` text PRIMARY KEY NOT NULL,
	`platform` text NOT NULL,
	`name` text DEFAULT 'Default' NOT NULL,
	`options` text,
	`basis_at` integer,
	`last_run_at` integer,
	`last_result` text
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
CREATE INDEX `prefill_session_status` ON `prefill_session` (`status`);--> statement-breakpoint
CREATE TABLE `pending_removal` (
	`id` text PRIMARY KEY NOT NULL,
	`note` text NOT NULL,
	`noted_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `pending_removal_by_time` ON `pending_removal` (`noted_at`);--> statement-breakpoint
CREATE TABLE `retention_pending` (
	`id` text PRIMARY KEY NOT NULL,
	`rule_id` text NOT NULL,
	`game_key` text NOT NULL,
	`game_name` text NOT NULL,
	`service` text NOT NULL,
	`files` integer NOT NULL,
	`bytes` integer NOT NULL,
	`reason` text NOT NULL,
	`listed_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`started_at` integer,
	`operation_id` text,
	`problem` text,
	FOREIGN KEY (`rule_id`) REFERENCES `retention_rule`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `retention_pending_game` ON `retention_pending` (`game_key`);--> statement-breakpoint
CREATE INDEX `retention_pending_due` ON `retention_pending` (`due_at`);--> statement-breakpoint
CREATE TABLE `retention_pin` (
	`game_key` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`pinned_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `retention_rule` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`is_enabled` integer NOT NULL,
	`position` integer NOT NULL,
	`service` text,
	`game_key` text,
	`datasource` text,
	`condition` text NOT NULL,
	`days` integer,
	`bytes` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `retention_spared` (
	`rule_id` text NOT NULL,
	`game_key` text NOT NULL,
	`until` integer NOT NULL,
	PRIMARY KEY(`rule_id`, `game_key`),
	FOREIGN KEY (`rule_id`) REFERENCES `retention_rule`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `schedule` (
	`service_key` text PRIMARY KEY NOT NULL,
	`last_run_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `setting` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `title_name` (
	`title_key` text PRIMARY KEY NOT NULL,
	`service` text NOT NULL,
	`game_name` text NOT NULL,
	`named_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `saved_view` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text,
	`name` text NOT NULL,
	`page` text NOT NULL,
	`query` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `saved_view_account` ON `saved_view` (`account_id`,`name`);--> statement-breakpoint
CREATE TABLE `widget_token` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `widget_token_hash_unique` ON `widget_token` (`hash`);
