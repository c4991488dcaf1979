CREATE TABLE `prefill_account` (
	`id` text PRIMARY KEY NOT NULL,
	`platform` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `prefill_session` ADD `account_id` text;