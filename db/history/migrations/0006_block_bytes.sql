TRUNCATE "download_blocks";
--> statement-breakpoint
ALTER TABLE "download_blocks" ADD COLUMN "hit_bytes" bigint NOT NULL;
--> statement-breakpoint
ALTER TABLE "download_blocks" ADD COLUMN "miss_bytes" bigint NOT NULL;
--> statement-breakpoint
INSERT INTO download_blocks (of_all, client, block, service, has_depot, is_prefill, kind, downloads, hit_bytes, miss_bytes, last_at)
SELECT false, client, block, service, starts_with(title_key, 'alpha:'), is_prefill, kind, sum(downloads),
	sum(hit_bytes), sum(miss_bytes), max(last_at)
FROM download_groups WHERE span_days = 8 GROUP BY 2, 3, 4, 5, 6, 7 ORDER BY 2, 3, 4, 5, 6, 7;
--> statement-breakpoint
INSERT INTO download_blocks (of_all, client, block, service, has_depot, is_prefill, kind, downloads, hit_bytes, miss_bytes, last_at)
SELECT true, '', block, service, has_depot, is_prefill, kind, sum(downloads), sum(hit_bytes), sum(miss_bytes), max(last_at)
FROM download_blocks GROUP BY 3, 4, 5, 6, 7 ORDER BY 3, 4, 5, 6, 7;
