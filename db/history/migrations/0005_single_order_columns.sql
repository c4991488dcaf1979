-- Ranges, services, clients and clients that are left out are looked at inside these indexes, too:
-- without the columns a page far behind cost a look at the table for every row that is skipped.
DROP INDEX "downloads_single_size";
--> statement-breakpoint
DROP INDEX "downloads_single_efficiency";
--> statement-breakpoint
DROP INDEX "downloads_single_oldest";
--> statement-breakpoint
CREATE INDEX "downloads_single_size" ON "downloads" USING btree (("hit_bytes" + "miss_bytes"),"ended_at","id") INCLUDE ("hit_bytes","miss_bytes","started_at","service","client") WHERE NOT starts_with(title_key, 'alpha:') AND NOT is_prefill AND hit_bytes + miss_bytes > 0;
--> statement-breakpoint
CREATE INDEX "downloads_single_efficiency" ON "downloads" USING btree (("hit_bytes"::float8 / greatest("hit_bytes" + "miss_bytes", 1)),"ended_at","id") INCLUDE ("hit_bytes","miss_bytes","started_at","service","client") WHERE NOT starts_with(title_key, 'alpha:') AND NOT is_prefill AND hit_bytes + miss_bytes > 0;
--> statement-breakpoint
CREATE INDEX "downloads_single_oldest" ON "downloads" USING btree ("started_at","ended_at" DESC,"id" DESC) INCLUDE ("hit_bytes","miss_bytes","service","client") WHERE NOT starts_with(title_key, 'alpha:') AND NOT is_prefill AND hit_bytes + miss_bytes > 0;
