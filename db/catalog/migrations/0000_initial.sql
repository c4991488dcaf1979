CREATE TABLE `alpha_app` (
	`app_id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`parent_id` integer
);
--> statement-breakpoint
CREATE TABLE `alpha_depot` (
	`depot_id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `alpha_mapping` (
	`depot_id` integer NOT NULL,
	`app_id` integer NOT NULL,
	`is_owner` integer NOT NULL,
	`source` text NOT NULL,
	`discovered_at` integer NOT NULL,
	PRIMARY KEY(`depot_id`, `app_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `alpha_mapping_app` ON `alpha_mapping` (`app_id`);--> statement-breakpoint
CREATE TABLE `alpha_store` (
	`app_id` integer PRIMARY KEY NOT NULL,
	`name` text,
	`image_url` text,
	`asked_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `meta` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
