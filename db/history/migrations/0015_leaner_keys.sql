-- A download adds a row to each of these tables. One key that begins with title and time replaces two,
-- and columns that differ between most rows come before those that are mostly equal.
DROP INDEX "downloads_title";--> statement-breakpoint
DROP INDEX "traffic_day_title";--> statement-breakpoint
DROP INDEX "traffic_hour_title";--> statement-breakpoint
CREATE INDEX "traffic_day_bucket" ON "traffic_day" USING btree ("bucket_at");--> statement-breakpoint
CREATE INDEX "traffic_hour_bucket" ON "traffic_hour" USING btree ("bucket_at");--> statement-breakpoint
ALTER TABLE "traffic" DROP CONSTRAINT "traffic_key";
--> statement-breakpoint
ALTER TABLE "traffic" ADD CONSTRAINT "traffic_key" PRIMARY KEY("bucket_at","title_key","client","service","datasource","is_prefill");--> statement-breakpoint
ALTER TABLE "traffic_day" DROP CONSTRAINT "traffic_day_key";
--> statement-breakpoint
ALTER TABLE "traffic_day" ADD CONSTRAINT "traffic_day_key" PRIMARY KEY("title_key","bucket_at","client","service","datasource","is_prefill");--> statement-breakpoint
ALTER TABLE "traffic_hour" DROP CONSTRAINT "traffic_hour_key";
--> statement-breakpoint
ALTER TABLE "traffic_hour" ADD CONSTRAINT "traffic_hour_key" PRIMARY KEY("title_key","bucket_at","client","service","datasource","is_prefill");
