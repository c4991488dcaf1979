CREATE TABLE `position_change` (
	`kind` text NOT NULL,
	`id` integer NOT NULL,
	PRIMARY KEY(`kind`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `sealed_batch` (
	`seq` integer PRIMARY KEY NOT NULL,
	`batch_id` text NOT NULL,
	`positions` text,
	`is_durable` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sealed_batch_batchId_unique` ON `sealed_batch` (`batch_id`);
--> statement-breakpoint
CREATE TRIGGER `log_member_insert_changes` AFTER INSERT ON `log_member` BEGIN
	INSERT INTO `position_change` (`kind`, `id`) VALUES ('member', NEW.`id`) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `log_member_update_changes` AFTER UPDATE ON `log_member` BEGIN
	INSERT INTO `position_change` (`kind`, `id`) VALUES ('member', NEW.`id`) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `log_member_delete_changes` AFTER DELETE ON `log_member` BEGIN
	INSERT INTO `position_change` (`kind`, `id`) VALUES ('member', OLD.`id`) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
INSERT INTO `position_change` (`kind`, `id`) SELECT 'member', `id` FROM `log_member`;
--> statement-breakpoint
CREATE TRIGGER `log_skipped_insert_changes` AFTER INSERT ON `log_skipped` BEGIN
	INSERT INTO `position_change` (`kind`, `id`) VALUES ('skipped', NEW.`id`) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `log_skipped_update_changes` AFTER UPDATE ON `log_skipped` BEGIN
	INSERT INTO `position_change` (`kind`, `id`) VALUES ('skipped', NEW.`id`) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `log_skipped_delete_changes` AFTER DELETE ON `log_skipped` BEGIN
	INSERT INTO `position_change` (`kind`, `id`) VALUES ('skipped', OLD.`id`) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
INSERT INTO `position_change` (`kind`, `id`) SELECT 'skipped', `id` FROM `log_skipped`;
--> statement-breakpoint
CREATE TRIGGER `open_download_insert_changes` AFTER INSERT ON `open_download` BEGIN
	INSERT INTO `position_change` (`kind`, `id`) VALUES ('open', NEW.`id`) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `open_download_update_changes` AFTER UPDATE ON `open_download` BEGIN
	INSERT INTO `position_change` (`kind`, `id`) VALUES ('open', NEW.`id`) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `open_download_delete_changes` AFTER DELETE ON `open_download` BEGIN
	INSERT INTO `position_change` (`kind`, `id`) VALUES ('open', OLD.`id`) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
INSERT INTO `position_change` (`kind`, `id`) SELECT 'open', `id` FROM `open_download`;
--> statement-breakpoint
INSERT INTO `sealed_batch` (`batch_id`) SELECT `batch_id` FROM `traffic_outbox` WHERE `batch_id` > '' UNION SELECT `batch_id` FROM `download_outbox` WHERE `batch_id` > '' ORDER BY 1;
--> statement-breakpoint
INSERT INTO `meta` (`key`, `value`) SELECT 'is_unlinked', '1' WHERE EXISTS (SELECT 1 FROM `log_member`);
