CREATE TABLE `beta_game` (
	`app_id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`image_url` text,
	`source` text NOT NULL,
	`discovered_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`namespace` text,
	`catalog_item_id` text,
	`build_version` text,
	`path_version` text,
	`named_at` integer
);
--> statement-breakpoint
CREATE TABLE `beta_pattern` (
	`path` text PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`host` text NOT NULL,
	`discovered_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `beta_pattern_app` ON `beta_pattern` (`app_id`);--> statement-breakpoint
CREATE TABLE `epsilon_fragment` (
	`fragment` text PRIMARY KEY NOT NULL,
	`product_id` text NOT NULL,
	`host` text NOT NULL,
	`discovered_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `epsilon_fragment_product` ON `epsilon_fragment` (`product_id`);--> statement-breakpoint
CREATE TABLE `epsilon_game` (
	`product_id` text PRIMARY KEY NOT NULL,
	`title` text NOT NULL,
	`image_url` text,
	`discovered_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`content_ids` text NOT NULL,
	`described_at` integer
);
--> statement-breakpoint
CREATE TABLE `mapping_etag` (
	`name` text PRIMARY KEY NOT NULL,
	`etag` text NOT NULL
);
