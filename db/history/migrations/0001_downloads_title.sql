CREATE INDEX "downloads_title" ON "downloads" USING btree ("title_key","ended_at","id") INCLUDE ("is_prefill");
