-- The engine keeps at most one open download per key; checking that again doubled the cost of a row.
DROP INDEX `open_download_key`;
--> statement-breakpoint
-- One tree instead of a table and an index that repeats most of it: every row is written, sealed and
-- deleted.
CREATE TABLE `new_traffic_outbox` (
	`batch_id` text NOT NULL,
	`bucket_at` integer NOT NULL,
	`datasource` text NOT NULL,
	`service` text NOT NULL,
	`client` text NOT NULL,
	`title_key` text NOT NULL,
	`is_prefill` integer NOT NULL,
	`hit_bytes` integer NOT NULL,
	`miss_bytes` integer NOT NULL,
	`requests` integer NOT NULL,
	`failed_requests` integer DEFAULT 0 NOT NULL,
	`downloads` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`queued_at_ms` integer NOT NULL,
	PRIMARY KEY(`batch_id`, `bucket_at`, `datasource`, `service`, `client`, `title_key`, `is_prefill`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `new_traffic_outbox` SELECT `batch_id`, `bucket_at`, `datasource`, `service`, `client`, `title_key`, `is_prefill`, `hit_bytes`, `miss_bytes`, `requests`, `failed_requests`, `downloads`, `first_at`, `last_at`, `queued_at_ms` FROM `traffic_outbox`;
--> statement-breakpoint
DROP TABLE `traffic_outbox`;
--> statement-breakpoint
ALTER TABLE `new_traffic_outbox` RENAME TO `traffic_outbox`;
