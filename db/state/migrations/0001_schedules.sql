CREATE TABLE `schedule` (
	`service_key` text PRIMARY KEY NOT NULL,
	`last_run_at` integer NOT NULL
);
