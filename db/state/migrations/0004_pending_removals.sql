CREATE TABLE `pending_removal` (
	`id` text PRIMARY KEY NOT NULL,
	`note` text NOT NULL,
	`noted_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `pending_removal_by_time` ON `pending_removal` (`noted_at`);