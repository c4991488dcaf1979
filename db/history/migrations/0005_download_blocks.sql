CREATE TABLE "download_blocks" (
	"of_all" boolean NOT NULL,
	"client" text NOT NULL,
	"block" integer NOT NULL,
	"service" text NOT NULL,
	"has_depot" boolean NOT NULL,
	"is_prefill" boolean NOT NULL,
	"kind" smallint NOT NULL,
	"downloads" bigint NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "download_blocks_key" PRIMARY KEY("of_all","client","block","service","has_depot","is_prefill","kind")
);

--> statement-breakpoint
ALTER TABLE "download_blocks" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
INSERT INTO download_blocks
SELECT false, client, block, service, starts_with(title_key, 'alpha:'), is_prefill, kind, sum(downloads), max(last_at)
FROM download_groups WHERE span_days = 8 GROUP BY 2, 3, 4, 5, 6, 7 ORDER BY 2, 3, 4, 5, 6, 7;
--> statement-breakpoint
INSERT INTO download_blocks
SELECT true, '', block, service, has_depot, is_prefill, kind, sum(downloads), max(last_at)
FROM download_blocks GROUP BY 3, 4, 5, 6, 7 ORDER BY 3, 4, 5, 6, 7;
