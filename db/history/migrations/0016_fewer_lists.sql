-- A third of what indexes of downloads took, for far pages by number only: the indexes of all downloads
-- have the same orders, and page 5000 takes a third of a second with them.
DROP INDEX "downloads_single_latest";--> statement-breakpoint
DROP INDEX "downloads_single_service";--> statement-breakpoint
DROP INDEX "downloads_single_client";--> statement-breakpoint
DROP INDEX "downloads_single_oldest";
