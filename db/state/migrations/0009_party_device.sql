CREATE TABLE `party_device` (
	`event_id` integer NOT NULL,
	`device` text NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`event_id`, `device`),
	FOREIGN KEY (`event_id`) REFERENCES `party`(`event_id`) ON UPDATE no action ON DELETE cascade
);
