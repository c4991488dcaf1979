-- Pages are no longer found by counts per class: skipping inside the indexes is fast enough, and
-- every insert into downloads kept these counts up to date.
DROP TRIGGER "single_counts_insert" ON "downloads";
--> statement-breakpoint
DROP TRIGGER "single_counts_update" ON "downloads";
--> statement-breakpoint
DROP TRIGGER "single_counts_delete" ON "downloads";
--> statement-breakpoint
DROP TRIGGER "single_counts_truncate" ON "downloads";
--> statement-breakpoint
DROP FUNCTION "report_count_singles"();
--> statement-breakpoint
DROP TABLE "single_counts";
--> statement-breakpoint
DROP FUNCTION "single_efficiency_bucket"(bigint, bigint, timestamp with time zone);
--> statement-breakpoint
DROP FUNCTION "single_ended_bucket"(timestamp with time zone);
--> statement-breakpoint
DROP FUNCTION "single_size_bucket"(bigint);
--> statement-breakpoint
-- With the mark of what was evicted, pages that hide it are skipped inside these indexes, too.
DROP INDEX "downloads_single_size";
--> statement-breakpoint
DROP INDEX "downloads_single_efficiency";
--> statement-breakpoint
CREATE INDEX "downloads_single_size" ON "downloads" USING btree (("hit_bytes" + "miss_bytes"),"ended_at","id") INCLUDE ("hit_bytes","miss_bytes","started_at","service","client","is_evicted") WHERE NOT starts_with(title_key, 'alpha:') AND NOT is_prefill AND hit_bytes + miss_bytes > 0;
--> statement-breakpoint
CREATE INDEX "downloads_single_efficiency" ON "downloads" USING btree (("hit_bytes"::float8 / greatest("hit_bytes" + "miss_bytes", 1)),"ended_at","id") INCLUDE ("hit_bytes","miss_bytes","started_at","service","client","is_evicted") WHERE NOT starts_with(title_key, 'alpha:') AND NOT is_prefill AND hit_bytes + miss_bytes > 0;
