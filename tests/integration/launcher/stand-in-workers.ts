console.log('workers are up');
setInterval(() => {}, 60_000);
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
