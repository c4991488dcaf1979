CREATE TABLE `later_removal` (
	`id` text PRIMARY KEY NOT NULL,
	`slot` integer NOT NULL,
	`datasources` text NOT NULL,
	`work` text NOT NULL,
	`subject` text NOT NULL,
	`requested_at` integer NOT NULL,
	`operation_id` text,
	`problem` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `later_removal_by_work` ON `later_removal` (`slot`,`work`);