CREATE TABLE `client_device` (
	`ip` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL
);
