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