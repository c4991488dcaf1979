CREATE TABLE "client_hour" (
	"bucket_at" timestamp with time zone NOT NULL,
	"client" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "client_hour_bucket_at_client_is_prefill_pk" PRIMARY KEY("bucket_at","client","is_prefill")
);
--> statement-breakpoint
CREATE TABLE "client_service_day" (
	"bucket_at" timestamp with time zone NOT NULL,
	"client" text NOT NULL,
	"service" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "client_service_day_bucket_at_client_service_is_prefill_pk" PRIMARY KEY("bucket_at","client","service","is_prefill")
);
--> statement-breakpoint
ALTER TABLE "client_hour" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE "client_service_day" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
CREATE TRIGGER "client_hour_insert" AFTER INSERT ON "traffic_hour" REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('client_hour', 'bucket_at, client, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "client_hour_update" AFTER UPDATE ON "traffic_hour" REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('client_hour', 'bucket_at, client, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "client_hour_delete" AFTER DELETE ON "traffic_hour" REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('client_hour', 'bucket_at, client, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "client_hour_truncate" AFTER TRUNCATE ON "traffic_hour" FOR EACH STATEMENT EXECUTE FUNCTION report_truncate('client_hour');
--> statement-breakpoint
CREATE TRIGGER "client_service_day_insert" AFTER INSERT ON "traffic_day" REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('client_service_day', 'bucket_at, client, service, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "client_service_day_update" AFTER UPDATE ON "traffic_day" REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('client_service_day', 'bucket_at, client, service, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "client_service_day_delete" AFTER DELETE ON "traffic_day" REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('client_service_day', 'bucket_at, client, service, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "client_service_day_truncate" AFTER TRUNCATE ON "traffic_day" FOR EACH STATEMENT EXECUTE FUNCTION report_truncate('client_service_day');
--> statement-breakpoint
INSERT INTO client_hour (bucket_at, client, is_prefill, hit_bytes, miss_bytes, requests, downloads, first_at, last_at)
SELECT bucket_at, client, is_prefill, sum(hit_bytes), sum(miss_bytes), sum(requests), sum(downloads), min(first_at), max(last_at)
FROM traffic_hour GROUP BY bucket_at, client, is_prefill;
--> statement-breakpoint
INSERT INTO client_service_day (bucket_at, client, service, is_prefill, hit_bytes, miss_bytes, requests, downloads, first_at, last_at)
SELECT bucket_at, client, service, is_prefill, sum(hit_bytes), sum(miss_bytes), sum(requests), sum(downloads), min(first_at), max(last_at)
FROM traffic_day GROUP BY bucket_at, client, service, is_prefill;
