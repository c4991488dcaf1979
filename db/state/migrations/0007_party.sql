CREATE TABLE `party` (
	`event_id` integer PRIMARY KEY NOT NULL,
	`event_created_at` text NOT NULL,
	`rules` text NOT NULL,
	`wifi` text NOT NULL,
	`timetable` text NOT NULL,
	`shows_names` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `party_vote` (
	`wish_id` integer NOT NULL,
	`device` text NOT NULL,
	PRIMARY KEY(`wish_id`, `device`),
	FOREIGN KEY (`wish_id`) REFERENCES `party_wish`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `party_wish` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` integer NOT NULL,
	`key` text NOT NULL,
	`name` text NOT NULL,
	`platform` text,
	`app_id` text,
	`device` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`event_id`) REFERENCES `party`(`event_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `party_wish_game` ON `party_wish` (`event_id`,`key`);