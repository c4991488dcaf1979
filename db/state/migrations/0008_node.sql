CREATE TABLE `node` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`public_key` text,
	`token_hash` text,
	`token_expires_at` integer,
	`created_at` integer NOT NULL,
	`away_since` integer,
	`revoked_at` integer,
	`version` text,
	`address` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `node_name_unique` ON `node` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `node_publicKey_unique` ON `node` (`public_key`);--> statement-breakpoint
CREATE UNIQUE INDEX `node_tokenHash_unique` ON `node` (`token_hash`);