import './trust-localhost.ts'
import '../../src/engines/catalogue/catalogue.worker.ts'
