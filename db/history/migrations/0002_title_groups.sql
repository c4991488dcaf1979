CREATE TABLE "title_groups" (
	"span_days" smallint NOT NULL,
	"block" integer NOT NULL,
	"title_key" text NOT NULL,
	"service" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"kind" smallint NOT NULL,
	"downloads" bigint NOT NULL,
	"evicted" bigint NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"timed_bytes" bigint NOT NULL,
	"speed_weight" double precision NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "title_groups_key" PRIMARY KEY("span_days","block","title_key","service","is_prefill","kind")
) PARTITION BY LIST ("span_days");
--> statement-breakpoint
CREATE TABLE "title_groups_0" PARTITION OF "title_groups" FOR VALUES IN (0) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
CREATE TABLE "title_groups_8" PARTITION OF "title_groups" FOR VALUES IN (8) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
CREATE TABLE "title_groups_64" PARTITION OF "title_groups" FOR VALUES IN (64) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
INSERT INTO title_groups
SELECT span_days, block, title_key, service, is_prefill, kind, sum(downloads), sum(evicted),
	sum(hit_bytes), sum(miss_bytes), sum(timed_bytes), sum(speed_weight), min(first_at), max(last_at)
FROM download_groups GROUP BY 1, 2, 3, 4, 5, 6;
