CREATE TABLE `title_name` (
	`title_key` text PRIMARY KEY NOT NULL,
	`service` text NOT NULL,
	`game_name` text NOT NULL,
	`named_at` integer NOT NULL
);
