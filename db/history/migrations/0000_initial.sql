CREATE TABLE "cache_snapshots" (
	"taken_at" timestamp with time zone PRIMARY KEY NOT NULL,
	"used_bytes" bigint NOT NULL,
	"total_bytes" bigint NOT NULL,
	"used_ratio" double precision NOT NULL
);
--> statement-breakpoint
CREATE TABLE "download_objects" (
	"download_id" bigint PRIMARY KEY NOT NULL,
	"object_keys" text[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "downloads" (
	"id" bigint PRIMARY KEY NOT NULL,
	"datasource" text NOT NULL,
	"service" text NOT NULL,
	"tag" text NOT NULL,
	"client" text NOT NULL,
	"title_key" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"last_url" text NOT NULL,
	"is_evicted" boolean DEFAULT false NOT NULL,
	"revision" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "event_downloads" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "event_downloads_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"event_id" bigint NOT NULL,
	"download_id" bigint NOT NULL,
	"tagged_at" timestamp with time zone NOT NULL,
	"is_automatic" boolean NOT NULL,
	"is_removed" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"description" text,
	"start_at" timestamp with time zone NOT NULL,
	"end_at" timestamp with time zone NOT NULL,
	"start_local" text NOT NULL,
	"end_local" text NOT NULL,
	"color_index" smallint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "shipped_batch" (
	"batch_id" uuid PRIMARY KEY NOT NULL,
	"shipped_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "titles" (
	"title_key" text PRIMARY KEY NOT NULL,
	"platform" text,
	"service" text NOT NULL,
	"game_name" text,
	"game_app_id" bigint,
	"beta_app_id" text,
	"epsilon_product_id" text,
	"depot_id" bigint,
	"image_url" text,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "traffic" (
	"bucket_at" timestamp with time zone NOT NULL,
	"datasource" text NOT NULL,
	"service" text NOT NULL,
	"client" text NOT NULL,
	"title_key" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "traffic_key" PRIMARY KEY("bucket_at","datasource","service","client","title_key","is_prefill")
) PARTITION BY RANGE ("bucket_at");
--> statement-breakpoint
CREATE TABLE "traffic_day" (
	"bucket_at" timestamp with time zone NOT NULL,
	"datasource" text NOT NULL,
	"service" text NOT NULL,
	"client" text NOT NULL,
	"title_key" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "traffic_day_key" PRIMARY KEY("bucket_at","datasource","service","client","title_key","is_prefill")
);
--> statement-breakpoint
CREATE TABLE "traffic_hour" (
	"bucket_at" timestamp with time zone NOT NULL,
	"datasource" text NOT NULL,
	"service" text NOT NULL,
	"client" text NOT NULL,
	"title_key" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "traffic_hour_key" PRIMARY KEY("bucket_at","datasource","service","client","title_key","is_prefill")
);
--> statement-breakpoint
ALTER TABLE "download_objects" ADD CONSTRAINT "download_objects_download_id_downloads_id_fk" FOREIGN KEY ("download_id") REFERENCES "public"."downloads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_downloads" ADD CONSTRAINT "event_downloads_event_id_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."events"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_downloads" ADD CONSTRAINT "event_downloads_download_id_downloads_id_fk" FOREIGN KEY ("download_id") REFERENCES "public"."downloads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "downloads_ended" ON "downloads" USING btree ("ended_at","id");--> statement-breakpoint
CREATE INDEX "downloads_started" ON "downloads" USING btree ("started_at","id");--> statement-breakpoint
CREATE INDEX "downloads_size" ON "downloads" USING btree (("hit_bytes" + "miss_bytes"),"id");--> statement-breakpoint
CREATE INDEX "downloads_service" ON "downloads" USING btree ("service","ended_at");--> statement-breakpoint
CREATE INDEX "downloads_client" ON "downloads" USING btree ("client","ended_at");--> statement-breakpoint
CREATE INDEX "downloads_title" ON "downloads" USING btree ("title_key","ended_at");--> statement-breakpoint
CREATE UNIQUE INDEX "event_downloads_pair" ON "event_downloads" USING btree ("event_id","download_id");--> statement-breakpoint
CREATE INDEX "event_downloads_download" ON "event_downloads" USING btree ("download_id");--> statement-breakpoint
CREATE INDEX "events_range" ON "events" USING btree ("start_at","end_at");--> statement-breakpoint
CREATE INDEX "shipped_batch_at" ON "shipped_batch" USING btree ("shipped_at");--> statement-breakpoint
CREATE INDEX "titles_app" ON "titles" USING btree ("game_app_id");--> statement-breakpoint
CREATE INDEX "titles_name" ON "titles" USING btree ("game_name");--> statement-breakpoint
CREATE INDEX "traffic_day_title" ON "traffic_day" USING btree ("title_key","bucket_at");--> statement-breakpoint
CREATE INDEX "traffic_hour_title" ON "traffic_hour" USING btree ("title_key","bucket_at");