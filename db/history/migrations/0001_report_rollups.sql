CREATE TABLE "client_day" (
	"bucket_at" timestamp with time zone NOT NULL,
	"client" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "client_day_bucket_at_client_is_prefill_pk" PRIMARY KEY("bucket_at","client","is_prefill")
);
--> statement-breakpoint
CREATE TABLE "download_groups" (
	"title_key" text NOT NULL,
	"client" text NOT NULL,
	"service" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"downloads" bigint NOT NULL,
	"mostly_hit" bigint NOT NULL,
	"evicted" bigint NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"timed_bytes" bigint NOT NULL,
	"speed_weight" double precision NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "download_groups_title_key_client_service_is_prefill_pk" PRIMARY KEY("title_key","client","service","is_prefill")
);
--> statement-breakpoint
CREATE TABLE "service_day" (
	"bucket_at" timestamp with time zone NOT NULL,
	"service" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "service_day_bucket_at_service_is_prefill_pk" PRIMARY KEY("bucket_at","service","is_prefill")
);
--> statement-breakpoint
CREATE TABLE "service_hour" (
	"bucket_at" timestamp with time zone NOT NULL,
	"service" text NOT NULL,
	"is_prefill" boolean NOT NULL,
	"hit_bytes" bigint NOT NULL,
	"miss_bytes" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"downloads" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "service_hour_bucket_at_service_is_prefill_pk" PRIMARY KEY("bucket_at","service","is_prefill")
);
