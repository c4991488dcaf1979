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
