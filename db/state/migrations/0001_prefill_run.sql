CREATE TABLE `prefill_run` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`mark` text NOT NULL,
	`session_id` text NOT NULL,
	`platform` text NOT NULL,
	`addresses` text NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `prefill_run_mark` ON `prefill_run` (`mark`);