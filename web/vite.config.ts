import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * The server names what has 16 hexadecimal digits at its end unchangeable
 * (server/src/http/front-end/content-types.ts).
 */
const HASHED = 'assets/[name]-[hash:16]';

export default defineConfig({
  // Relative, so that the workspace may be served below any path.
  base: './',
  plugins: [react(), tailwindcss()],
  server: {
    proxy: {
      '/api': { target: 'http://127.0.0.1:8080', ws: true },
      '/health': 'http://127.0.0.1:8080',
    },
  },
  worker: {
    format: 'es',
    rolldownOptions: { output: { hashCharacters: 'hex', entryFileNames: `${HASHED}.js` } },
  },
  build: {
    outDir: 'dist',
    // Which file needs which: the budgets of the pages are counted by it
    // (tools/front-end-sizes.ts).
    manifest: true,
    target: 'es2023',
    // A data URL is not what the policy of the page lets in.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        hashCharacters: 'hex',
        entryFileNames: `${HASHED}.js`,
        chunkFileNames: `${HASHED}.js`,
        assetFileNames: `${HASHED}[extname]`,
        // Of each file that comes later the shell names what it needs, and pages would name one
        // for each icon: fewer files are a smaller shell.
        codeSplitting: {
          groups: [
            { name: 'shell', tags: ['$initial'], priority: 1 },
            { name: 'icons', test: /lucide-react\Wdist\Wesm\Wicons/, minShareCount: 2 },
          ],
        },
      },
    },
  },
});
