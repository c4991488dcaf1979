ALTER TABLE `operation` ADD `name_key` text;--> statement-breakpoint
ALTER TABLE `operation` ADD `name_context` text;