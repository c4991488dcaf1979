PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_prefill_schedule` (
	`id` text PRIMARY KEY NOT NULL,
	`platform` text NOT NULL,
	`name` text DEFAULT 'Default' NOT NULL,
	`options` text,
	`basis_at` integer,
	`last_run_at` integer,
	`last_result` text
);
--> statement-breakpoint
INSERT INTO `__new_prefill_schedule`("id", "platform", "basis_at", "last_run_at") SELECT "platform", "platform", "basis_at", "last_run_at" FROM `prefill_schedule`;--> statement-breakpoint
DROP TABLE `prefill_schedule`;--> statement-breakpoint
ALTER TABLE `__new_prefill_schedule` RENAME TO `prefill_schedule`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
ALTER TABLE `prefill_history` ADD `schedule_id` text;--> statement-breakpoint
ALTER TABLE `prefill_history` ADD `schedule_name` text;