CREATE TABLE "client_block" (
	"bucket_at" timestamp with time zone NOT NULL,
	"client" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "client_block_bucket_at_client_is_prefill_pk" PRIMARY KEY("bucket_at","client","is_prefill")
);
--> statement-breakpoint
CREATE TABLE "client_service_block" (
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
	CONSTRAINT "client_service_block_bucket_at_client_service_is_prefill_pk" PRIMARY KEY("bucket_at","client","service","is_prefill")
);
--> statement-breakpoint
CREATE TABLE "service_block" (
	"bucket_at" timestamp with time zone NOT NULL,
	"service" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "service_block_bucket_at_service_is_prefill_pk" PRIMARY KEY("bucket_at","service","is_prefill")
);
--> statement-breakpoint
ALTER TABLE "service_block" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
INSERT INTO service_block
SELECT date_bin('64 days', bucket_at, '1970-01-01 00:00:00+00'), service, is_prefill, sum(hit_bytes), sum(miss_bytes), sum(requests),
	sum(downloads), min(first_at), max(last_at)
FROM service_day GROUP BY 1, 2, 3;
--> statement-breakpoint
ALTER TABLE "client_block" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
INSERT INTO client_block
SELECT date_bin('64 days', bucket_at, '1970-01-01 00:00:00+00'), client, is_prefill, sum(hit_bytes), sum(miss_bytes), sum(requests),
	sum(downloads), min(first_at), max(last_at)
FROM client_day GROUP BY 1, 2, 3;
--> statement-breakpoint
ALTER TABLE "client_service_block" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
INSERT INTO client_service_block
SELECT date_bin('64 days', bucket_at, '1970-01-01 00:00:00+00'), client, service, is_prefill, sum(hit_bytes), sum(miss_bytes), sum(requests),
	sum(downloads), min(first_at), max(last_at)
FROM client_service_day GROUP BY 1, 2, 3, 4;
