-- The retro view lists downloads without bytes unless they are left out. The columns of the indexes
-- answer that filter without the table, as all others.
DROP INDEX "downloads_single_latest";
--> statement-breakpoint
DROP INDEX "downloads_single_service";
--> statement-breakpoint
DROP INDEX "downloads_single_client";
--> statement-breakpoint
DROP INDEX "downloads_single_oldest";
--> statement-breakpoint
DROP INDEX "downloads_single_size";
--> statement-breakpoint
DROP INDEX "downloads_single_efficiency";
--> statement-breakpoint
CREATE INDEX "downloads_single_latest" ON "downloads" USING btree ("ended_at","id") INCLUDE ("started_at","service","client","title_key","hit_bytes","miss_bytes") WHERE NOT starts_with(title_key, 'alpha:') AND NOT is_prefill;
--> statement-breakpoint
CREATE INDEX "downloads_single_service" ON "downloads" USING btree ("service","ended_at","id") INCLUDE ("started_at","client","hit_bytes","miss_bytes") WHERE NOT starts_with(title_key, 'alpha:') AND NOT is_prefill;
--> statement-breakpoint
CREATE INDEX "downloads_single_client" ON "downloads" USING btree ("client","ended_at","id") INCLUDE ("started_at","service","hit_bytes","miss_bytes") WHERE NOT starts_with(title_key, 'alpha:') AND NOT is_prefill;
--> statement-breakpoint
CREATE INDEX "downloads_single_oldest" ON "downloads" USING btree ("started_at","ended_at" DESC,"id" DESC) INCLUDE ("hit_bytes","miss_bytes","service","client") WHERE NOT starts_with(title_key, 'alpha:') AND NOT is_prefill;
--> statement-breakpoint
CREATE INDEX "downloads_single_size" ON "downloads" USING btree (("hit_bytes" + "miss_bytes"),"ended_at","id") INCLUDE ("hit_bytes","miss_bytes","started_at","service","client","is_evicted") WHERE NOT starts_with(title_key, 'alpha:') AND NOT is_prefill;
--> statement-breakpoint
CREATE INDEX "downloads_single_efficiency" ON "downloads" USING btree (("hit_bytes"::float8 / greatest("hit_bytes" + "miss_bytes", 1)),"ended_at","id") INCLUDE ("hit_bytes","miss_bytes","started_at","service","client","is_evicted") WHERE NOT starts_with(title_key, 'alpha:') AND NOT is_prefill;
