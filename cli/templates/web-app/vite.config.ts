import { defineConfig } from 'vite';

/** While you write, the page and the API have one address, as when the server shows the page. */
export default defineConfig({
  base: './',
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
});
