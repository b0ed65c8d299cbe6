import { downloadFile as operation } from '@trellis/contract/operations/files.ts';
import { fileDownloadRoute } from '../../file-route.ts';

export const downloadFile = fileDownloadRoute(operation);
