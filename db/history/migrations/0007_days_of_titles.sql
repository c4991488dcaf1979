CREATE TABLE "title_day" (
	"bucket_at" timestamp with time zone NOT NULL,
	"title_key" text NOT NULL,
	"service" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "title_day_title_key_bucket_at_service_is_prefill_pk" PRIMARY KEY("title_key","bucket_at","service","is_prefill")
);
--> statement-breakpoint
-- Adds what a statement changed in a traffic table to one of its roll-ups; knows titles, too.
CREATE OR REPLACE FUNCTION "report_fold_traffic"() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
DECLARE
	target text := TG_ARGV[0];
	keys text := TG_ARGV[1];
	changed text := CASE TG_OP
		WHEN 'INSERT' THEN 'SELECT 1 AS sign, * FROM new_rows'
		WHEN 'DELETE' THEN 'SELECT -1 AS sign, * FROM old_rows'
		ELSE 'SELECT 1 AS sign, * FROM new_rows UNION ALL SELECT -1, * FROM old_rows'
	END;
	start_of text := coalesce(TG_ARGV[2], 'bucket_at');
BEGIN
	EXECUTE format('INSERT INTO %1$I AS kept
			(%2$s, hit_bytes, miss_bytes, requests, downloads, first_at, last_at)
		SELECT %2$s, sum(sign * hit_bytes), sum(sign * miss_bytes), sum(sign * requests),
			sum(sign * downloads), min(first_at), max(last_at)
		FROM (
			SELECT sign, %4$s AS bucket_at, service, client, title_key, is_prefill, hit_bytes, miss_bytes,
				requests, downloads, first_at, last_at FROM (%3$s) AS rows
		) AS changed GROUP BY %2$s ORDER BY %2$s
		ON CONFLICT (%2$s) DO UPDATE SET
			hit_bytes = kept.hit_bytes + excluded.hit_bytes,
			miss_bytes = kept.miss_bytes + excluded.miss_bytes,
			requests = kept.requests + excluded.requests,
			downloads = kept.downloads + excluded.downloads,
			first_at = least(kept.first_at, excluded.first_at),
			last_at = greatest(kept.last_at, excluded.last_at)', target, keys, changed, start_of);
	IF TG_OP = 'DELETE' THEN
		EXECUTE format('DELETE FROM %1$I
			WHERE (%2$s) IN (SELECT %2$s FROM (SELECT %3$s AS bucket_at, service, client, title_key, is_prefill
				FROM old_rows) AS gone)
			AND hit_bytes = 0 AND miss_bytes = 0 AND requests = 0 AND downloads = 0', target, keys, start_of);
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "title_day_insert" AFTER INSERT ON "traffic_day" REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('title_day', 'bucket_at, title_key, service, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "title_day_update" AFTER UPDATE ON "traffic_day" REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('title_day', 'bucket_at, title_key, service, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "title_day_delete" AFTER DELETE ON "traffic_day" REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION report_fold_traffic('title_day', 'bucket_at, title_key, service, is_prefill');
--> statement-breakpoint
CREATE TRIGGER "title_day_truncate" AFTER TRUNCATE ON "traffic_day" FOR EACH STATEMENT EXECUTE FUNCTION report_truncate('title_day');
--> statement-breakpoint
ALTER TABLE "title_day" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
INSERT INTO title_day (bucket_at, title_key, service, is_prefill, hit_bytes, miss_bytes, requests, downloads, first_at, last_at)
SELECT bucket_at, title_key, service, is_prefill, sum(hit_bytes), sum(miss_bytes), sum(requests), sum(downloads), min(first_at), max(last_at)
FROM traffic_day GROUP BY bucket_at, title_key, service, is_prefill;
