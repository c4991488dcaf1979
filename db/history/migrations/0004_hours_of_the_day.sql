CREATE TABLE "day_peak" (
	"bucket_at" timestamp with time zone PRIMARY KEY NOT NULL,
	"hour_at" timestamp with time zone NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "hour_block" (
	"bucket_at" timestamp with time zone NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "hour_block_bucket_at_is_prefill_pk" PRIMARY KEY("bucket_at","is_prefill")
);
--> statement-breakpoint
CREATE TABLE "time_day" (
	"bucket_at" timestamp with time zone NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "time_day_bucket_at_is_prefill_pk" PRIMARY KEY("bucket_at","is_prefill")
);
--> statement-breakpoint
ALTER TABLE "time_day" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
INSERT INTO time_day
SELECT date_bin('1 day', bucket_at, '1970-01-01 00:00:00+00'), is_prefill, sum(hit_bytes), sum(miss_bytes), sum(requests),
	sum(downloads), min(first_at), max(last_at)
FROM time_hour GROUP BY 1, 2;
--> statement-breakpoint
ALTER TABLE "hour_block" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
INSERT INTO hour_block
SELECT date_bin('8 days', bucket_at, '1970-01-01 00:00:00+00')
		+ (bucket_at - date_bin('1 day', bucket_at, '1970-01-01 00:00:00+00')),
	is_prefill, sum(hit_bytes), sum(miss_bytes), sum(requests), sum(downloads), min(first_at), max(last_at)
FROM time_hour GROUP BY 1, 2;
--> statement-breakpoint
ALTER TABLE "day_peak" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
INSERT INTO day_peak
SELECT DISTINCT ON (1) date_bin('1 day', bucket_at, '1970-01-01 00:00:00+00'), bucket_at, hit_bytes, miss_bytes
FROM time_hour WHERE NOT is_prefill ORDER BY 1, hit_bytes + miss_bytes DESC, bucket_at;
