-- Hours of one client lie between those of the others: a year of them was nearly every page of the table.
DROP INDEX "client_hour_client";
--> statement-breakpoint
CREATE INDEX "client_hour_client" ON "client_hour" USING btree ("client","bucket_at") INCLUDE ("is_prefill","hit_bytes","miss_bytes","downloads");
