CREATE TABLE `day_name` (
	`day` integer NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`day`, `kind`, `name`)
);
--> statement-breakpoint
CREATE TABLE `quarantine` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`reason` text NOT NULL,
	`row` text NOT NULL,
	`set_aside_at_ms` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `log_counter` ADD `impossible_time_lines` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `log_counter` ADD `impossible_count_lines` integer DEFAULT 0 NOT NULL;