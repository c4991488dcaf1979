CREATE TABLE `prefill_ready_game` (
	`platform` text NOT NULL,
	`app_id` text NOT NULL,
	`name` text NOT NULL,
	`due_at` integer,
	`added_at` integer NOT NULL,
	`checked_at` integer,
	`is_current` integer,
	`total_bytes` integer,
	`unavailable` text,
	`problem` text,
	`new_build_at` integer,
	`clients` integer DEFAULT 0 NOT NULL,
	`fetched_at` integer,
	`seen_bytes` integer,
	PRIMARY KEY(`platform`, `app_id`)
);
