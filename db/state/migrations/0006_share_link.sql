CREATE TABLE `share_link` (
	`id` text PRIMARY KEY NOT NULL,
	`page` text NOT NULL,
	`subject` text NOT NULL,
	`hash` text NOT NULL,
	`label` text NOT NULL,
	`shows_names` integer NOT NULL,
	`created_by` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`created_by`) REFERENCES `account`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `share_link_hash_unique` ON `share_link` (`hash`);