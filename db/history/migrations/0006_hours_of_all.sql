CREATE TABLE "time_hour" (
	"bucket_at" timestamp with time zone NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "time_hour_bucket_at_is_prefill_pk" PRIMARY KEY("bucket_at","is_prefill")
);
--> statement-breakpoint
CREATE INDEX "client_hour_client" ON "client_hour" USING btree ("client","bucket_at");
--> statement-breakpoint
CREATE TRIGGER "time_hour_insert" AFTER INSERT ON "traffic_hour" REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('time_hour', 'bucket_at, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "time_hour_update" AFTER UPDATE ON "traffic_hour" REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('time_hour', 'bucket_at, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "time_hour_delete" AFTER DELETE ON "traffic_hour" REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('time_hour', 'bucket_at, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "time_hour_truncate" AFTER TRUNCATE ON "traffic_hour" FOR EACH STATEMENT EXECUTE FUNCTION report_truncate('time_hour');
--> statement-breakpoint
ALTER TABLE "time_hour" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
INSERT INTO time_hour (bucket_at, is_prefill, hit_bytes, miss_bytes, requests, downloads, first_at, last_at)
SELECT bucket_at, is_prefill, sum(hit_bytes), sum(miss_bytes), sum(requests), sum(downloads), min(first_at), max(last_at)
FROM traffic_hour GROUP BY bucket_at, is_prefill;
